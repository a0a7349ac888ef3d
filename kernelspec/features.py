from dataclasses import dataclass
import numpy as np
from kernelspec import _checks, spectrum, harmonics, arccosine, leverage as L
@dataclass(frozen=True)
class BiasedReLU:
    d: int
    order: int = 1
    @property
    def decay_exponent(self): return (self.d+2*self.order)/(self.d-1)
    @property
    def eigenvalue_constant(self): return spectrum.eigenvalue_constant(self.d,self.order)[0]
    def kernel(self,t): return arccosine.kernel(self.d,self.order,np.asarray(t,float))
    def eigenvalues(self,K,log=False): return (spectrum.log_eigenvalues if log else spectrum.eigenvalues)(self.d,self.order,K)
    def coefficients(self,b,K): return harmonics.coefficients(self.d,self.order,np.asarray(b,float),K)
    def leverage(self,b,lam):
        b,lam=np.broadcast_arrays(np.asarray(b,float),np.asarray(lam,float))
        return L.leverage_pairs(self.d,self.order,b.ravel(),lam.ravel()).reshape(b.shape)
    def degrees_of_freedom(self,lam): return L.degrees_of_freedom(self.d,self.order,_checks.positive_array("lam",lam))
